grep Failed auth.log | awk '{print $NF}' | sort | uniq -c | sort -rn | head -1
