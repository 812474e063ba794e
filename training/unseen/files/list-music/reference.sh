ls music
