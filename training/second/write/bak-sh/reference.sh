printf '#!/bin/bash\nfor f in *.txt; do cp "$f" "$f.bak"; done\n' > backup.sh
