printf '#!/bin/bash\nwc -l < "$1"\n' > lines.sh
