const cart = [
  { name: "tea", price: 4.5, qty: 3 },
  { name: "honey", price: 6, qty: 1 },
  { name: "biscuits", price: 2, qty: 2 },
];

let total = 0;
for (const item of cart) {
  total += item.price * item.amount;
}
console.log("Total: " + total.toFixed(2));
