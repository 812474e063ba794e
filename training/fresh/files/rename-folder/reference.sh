mv pics photos
