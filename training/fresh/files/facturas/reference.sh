find facturas -name '*.pdf' | wc -l
