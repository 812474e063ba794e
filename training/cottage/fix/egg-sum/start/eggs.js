const numbers = process.argv.slice(2);

let total = 0;
for (const number of numbers) {
    total += number;
}
console.log(total);
