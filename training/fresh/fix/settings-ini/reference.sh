sed -i '1s/.*/[display]/' settings.ini
