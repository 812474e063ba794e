zip -qr holiday-pics.zip holiday-pics
