const items = require("./cart.json");

const total = 0;
for (const item in items) {
  total += item.price * item.qty;
}
console.log("Total: " + total.toFixed(2));
