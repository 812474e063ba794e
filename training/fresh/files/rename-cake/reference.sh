mv IMG_2231.jpg wedding-cake.jpg
