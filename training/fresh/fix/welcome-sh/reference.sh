sed -i 's/if .*/if [ -z "$1" ]; then/' welcome.sh
