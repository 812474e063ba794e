const items = [
  { name: "shirt", price: 25, count: 2 },
  { name: "cap", price: 12.5, count: 1 },
  { name: "socks", price: 11.5, count: 2 },
];

const total = 0;
for (const item of items) {
  total += item.price * item.count;
}
console.log("Total: " + total.toFixed(2));
