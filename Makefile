# make chat    set up and talk, in dir=folder: on your Ollama, else on the model that suits this machine, fetched once
# make test    set up what the tests need and run all of them
# make ask     q="what to do" dir=folder: set up and do one request, with the same model as the chat
# make lint, quick, box, real: the parts of test; make threats: all hostile programs against the product
# make docs    the pages of docs/ as a site
# make bench, bench-box, bench-startup, bench-planner: speed and cost, as ratios; bench-prefix: what a MODEL (model=embedded:FILE) reads again; bench-lookup: what copying costs (model=FILE.gguf)
# make offline-model: retrain the small model's adapter, minutes=100 seed=1; make release-check: what must hold before a release, including packaging and a first install
# make bench-serve: twenty clients on one engine of `tripletick serve`, model=NAME
# make bench-real: the bench's tasks with the two small coding models, fetched once; half an hour and ten minutes on two cores
# make bench-peers: other agents beside ours with the same model, model=NAME host=URL; suite=NAME, tasks="A B", peers="A B": these alone
# make ablation: what each technique for small models is worth; with model=NAME on the bench's tasks, with suite=FOLDER on those; tasks=N, only=TECHNIQUE,…
# make bench-router: how well and how fast requests are routed, with model=NAME what asking that is worth; make router: train the router again

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
# A process for each core, four at most: more wait for the kernel. A file's tests stay together; files in the order given, since
# those that take longest are not those with the most tests.
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile --no-loadscope-reorder
# Never in the clone, wherever that is.
work := $(HOME)/tripletick$(if $(filter $(HOME)/tripletick,$(CURDIR)),-work)
# Tests that start programs wait for them for a third of their time: half as many processes again as there are cores.
WAITING := --numprocesses=$(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 2) * 3 // 2)')
export q PYTHON

.PHONY: chat test ask lint quick box real threats docs bench bench-box bench-startup bench-planner bench-router bench-lookup bench-peers bench-real bench-serve ablation router clean offline-model release-check
.DEFAULT_GOAL := chat

test: $(VENV)/.dev
	tools/setup.sh test
	$(MAKE) --no-print-directory lint quick box real

lint: $(VENV)/.dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy

# Under a minute: what is run after every change.
quick: $(VENV)/.dev
	$(PYTEST) tests $(addprefix --ignore=tests/,real sandbox turns languages program threats)

# The box as root and as a user; whole turns in it; a third of the hostile programs; every language with its compiler;
# the program as it is run.
box: $(VENV)/.dev
	$(PYTEST) $(WAITING) $(addprefix tests/,program sandbox languages threats turns)

threats: $(VENV)/.dev
	$(BIN)/python -m tests.threats

real: $(VENV)/.dev
	$(BIN)/python tests/real/ollama_server.py
	$(BIN)/python -m pytest tests/real -rs

# The pages as a site, in site/; the variable silences a word about Material's successor.
docs: $(VENV)/.dev
	$(BIN)/python tools/pages.py --write
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.dev
	$(BIN)/python -m bench.reader
	$(BIN)/python -m bench.loop
	$(BIN)/python bench/box.py
	$(BIN)/python bench/snapshot.py

bench-box: $(VENV)/.dev
	$(BIN)/python bench/box.py
	$(BIN)/python bench/snapshot.py

bench-prefix: $(VENV)/.dev
	$(BIN)/python -m bench.prefix "$(model)"

bench-lookup: $(VENV)/.dev
	$(BIN)/python -m bench.lookup "$(model)"

bench-planner: $(VENV)/.dev
	$(BIN)/python bench/planner.py

bench-router: $(VENV)/.dev
	$(BIN)/python -m bench.router
	@[ -z "$(model)" ] || $(BIN)/python bench/router_asked.py "$(model)"

router: $(VENV)/.dev
	$(BIN)/python -m tools.train_router

# Conversations, training, adapter, figures; a run that was stopped is resumed. On two cores minutes=100 is 2½ hours in all.
# base=0.5b: another base, which tries requests first; with host= at a server that has it.
offline-model: $(VENV)/.dev .venv-training/.installed
	$(BIN)/python -m training --base $(or $(base),135m) --seed $(or $(seed),1) --minutes $(or $(minutes),100) \
	  $(if $(host),--host "$(host)") $(options)

.venv-training/.installed: training/requirements.txt
	$(PYTHON) -m venv .venv-training
	.venv-training/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

release-check: $(VENV)/.dev
	$(BIN)/python -m tools.release_check

bench-peers: $(VENV)/.dev
	$(BIN)/python -m bench.peers.run $(if $(model),--model "$(model)" --host "$(host)") $(if $(suite),--suite "$(suite)") \
	  $(if $(tasks),--tasks $(tasks)) $(if $(peers),--peers $(peers))

bench-real: $(VENV)/.dev
	for name in qwen2.5-coder-1.5b qwen2.5-coder-0.5b; do \
		$(BIN)/tripletick -q models create $$name && $(BIN)/tripletick bench -m embedded:$$name || exit; done

ablation: $(VENV)/.dev
	$(BIN)/python -m bench.ablation "$(or $(model),embedded:offline)" --suite "$(or $(suite),$(if $(model),core,training/held))" \
	  $(if $(host),--host "$(host)") $(if $(tasks),--tasks $(tasks)) $(if $(only),--only "$(only)") $(if $(jobs),--jobs $(jobs)) $(if $(timeout),--timeout $(timeout)) $(if $(out),--out "$(out)")

bench-serve: $(VENV)/.dev
	$(BIN)/python bench/serve.py "$(or $(model),embedded:qwen2.5-coder-0.5b)"

bench-startup: $(VENV)/.dev
	$(BIN)/python bench/startup.py --installed

ask: folder = $(or $(dir),$(work)/scratch)
ask: $(VENV)/.chat
	@[ -n "$$q" ] || { echo 'Say what to do: make ask q="write hello.py and run it" dir=folder' >&2; exit 2; }
	@mkdir -p "$(folder)"
	@$(BIN)/tripletick -C "$(folder)" -- "$$q"

chat: folder = $(or $(dir),$(work)/chat)
chat: $(VENV)/.chat
	@mkdir -p "$(folder)"
	@$(BIN)/tripletick -q models create
	@$(BIN)/tripletick -C "$(folder)"

# Editable, so that prompts and config.ini are read where they lie.
$(VENV)/.user: pyproject.toml tools/setup.sh
	tools/setup.sh run
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.chat: $(VENV)/.user
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[embedded]'
	@touch $@

$(VENV)/.dev: $(VENV)/.user
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --disable-pip-version-check --group dev --group docs
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
