printf '#!/bin/bash\nfor f in *.txt; do\n    echo "$f: $(wc -l < "$f")"\ndone\n' > count.sh
