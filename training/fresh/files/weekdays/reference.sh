mkdir planner/monday planner/tuesday planner/wednesday planner/thursday planner/friday
