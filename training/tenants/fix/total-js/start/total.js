let total = 0;
for (const part of process.argv.slice(2)) {
  total = total + part;
}
console.log(total);
