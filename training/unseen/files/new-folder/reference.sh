mkdir 'Invoices 2025'
