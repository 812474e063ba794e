let total = 0;
for (const word of process.argv.slice(2)) {
  total = total + word;
}
console.log(String(total));
