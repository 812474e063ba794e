cat > add.js <<'END'
let sum = 0;
for (const a of process.argv.slice(2)) sum += Number(a);
console.log(sum);
END
