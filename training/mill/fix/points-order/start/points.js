const points = process.argv.slice(2).map(Number);
points.sort();
console.log(points.join(" "));
