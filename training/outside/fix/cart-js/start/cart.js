const fs = require("fs");

const items = JSON.parse(fs.readFileSync("cart.json", "utf8"));

let total = 0;
for (const item of items) {
  total += item.price;
}
console.log("Total: " + total);
