rm old_budget.csv old_budget2.csv
