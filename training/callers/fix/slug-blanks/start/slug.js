function slug(title) {
  return title.trim().toLowerCase().replace(" ", "-");
}

console.log(slug(process.argv[2]));
