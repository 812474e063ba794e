cp work/*.docx usb-stick/
