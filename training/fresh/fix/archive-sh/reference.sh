sed -i 's/mkdir /mkdir -p /' archive.sh
