rm Downloads/*.exe
