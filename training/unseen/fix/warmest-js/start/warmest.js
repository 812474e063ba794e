const temperatures = [-7, -4, -2, -11, -5, -3, -9];

let warmest = 0;
for (const t of temperatures) {
  if (t > warmest) {
    warmest = t;
  }
}
console.log("Warmest: " + warmest);
