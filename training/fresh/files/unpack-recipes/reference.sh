unzip -q recipes.zip -d recipes
