mv lecture?.pdf uni/semester2/
