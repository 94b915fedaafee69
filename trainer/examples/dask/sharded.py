"""Trains on a Dask cluster: the model has the same bytes as one machine's for the same rows, even if a worker dies.

All the fit needs from the rows is sums over them. `pual plan` decides from a sample what to sum, `pual accumulate` sums one shard, and
`pual merge` adds the sums exactly and solves. So shards can be summed anywhere, in any order, and more than once.

Run it with sharded.sh. For your own rows keep `accumulate` and `accumulate_on_cluster`, and drop what is marked "demonstration".
"""

import argparse
import logging
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil
from distributed import Client, LocalCluster

ROWS, SHARDS, WORKERS = 400_000, 8, 4


def run(pual, *arguments):
    # One thread per worker: the cluster already has one worker per core. The result does not depend on it.
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    subprocess.run([pual, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, env=environment)


def accumulate(pual, shard, plan, part):
    """The task: sums one shard. It may run twice: the file is written under a temporary name, then renamed, with the same bytes each time."""
    with open(f"{part}.attempts", "a") as attempts:  # demonstration: who tried it
        attempts.write(f"{os.getpid()}\n")
    run(pual, "accumulate", shard, "--plan", plan, "-o", part)
    return part


def accumulate_on_cluster(client, pual, shards, plan, meanwhile=lambda: None):
    """One task per shard. If a worker is lost, Dask gives its tasks to others; there is nothing to do here."""
    parts = [shard.with_suffix(".part") for shard in shards]
    tasks = [client.submit(accumulate, pual, shard, plan, part, pure=False) for shard, part in zip(shards, parts)]
    meanwhile()
    return client.gather(tasks)


# ---- demonstration: make rows, kill a worker, compare the models

def split(data, folder):
    """Shards of different lengths, each with the header: rows need not be distributed evenly."""
    header, *rows = data.read_text().splitlines(keepends=True)
    ends = [len(rows) * (k * k + 20 * k) // (SHARDS * SHARDS + 20 * SHARDS) for k in range(SHARDS + 1)]
    shards = []
    for k, (first, end) in enumerate(zip(ends, ends[1:])):
        shards.append(folder / f"shard-{k}.csv")
        shards[-1].write_text("".join([header, *rows[first:end]]))
    return shards


def kill_a_busy_worker(client, folder):
    """Once two shards are done: kills (SIGKILL) a worker that runs `pual accumulate`, and that process too, as if the machine had lost power."""
    start = time.monotonic()
    workers = [psutil.Process(pid) for pid in client.run(os.getpid).values()]
    while time.monotonic() - start < 600:
        time.sleep(0.001)
        done = len(list(folder.glob("shard-*.part")))
        for worker in workers if done >= 2 else []:
            for child in worker.children():
                try:
                    command = child.cmdline()
                    if "accumulate" not in command:
                        continue
                    # The worker first, so that it cannot report its child's death as an error.
                    worker.kill()
                    child.kill()
                except psutil.NoSuchProcess:
                    continue
                shard = Path(command[command.index("accumulate") + 1]).name
                seconds = time.monotonic() - start
                print(f"killed worker {worker.pid} after {seconds:.2f} s, {done} shards done, while it summed {shard}")
                return


def redone(shards):
    """Shards that were started more than once, with the processes that did."""
    tries = {shard.name: shard.with_suffix(".part.attempts").read_text().split() for shard in shards}
    return {name: pids for name, pids in tries.items() if len(pids) > 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pual", help="the pual program")
    parser.add_argument("folder", type=Path, help="working folder; every worker must see it")
    parser.add_argument("--rows", type=int, default=ROWS)
    given = parser.parse_args()
    pual, folder = os.path.abspath(given.pual), given.folder.resolve()
    folder.mkdir(parents=True)
    data, plan = folder / "rows.csv", folder / "plan.pual"
    run(pual, "synth", "trifurcate", "--rows", given.rows, "--seed", 1, "-o", data)
    # For speed, settings follow rules of thumb; without these flags they are searched for on the sample.
    run(pual, "plan", data, "-o", plan, "--method", "pual", "--no-tune", "--supports", 256)
    shards = split(data, folder)
    print(f"{given.rows} rows in {SHARDS} shards, {WORKERS} workers")

    # A killed worker makes Dask's log long; we report it ourselves.
    settings = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with LocalCluster(n_workers=WORKERS, **settings) as cluster, Client(cluster) as client:
        parts = accumulate_on_cluster(client, pual, shards, plan, meanwhile=lambda: kill_a_busy_worker(client, folder))
    again = redone(shards)
    for name, pids in again.items():
        print(f"{name} was started by worker {pids[0]}, and again by {', '.join(pids[1:])}")

    # The same on one machine: one part, of all rows. Models are not compressed, so that every number is compared.
    run(pual, "accumulate", data, "--plan", plan, "-o", folder / "whole.part")
    run(pual, "merge", folder / "whole.part", "--no-compress", "-o", folder / "one-machine.pual")
    expected = (folder / "one-machine.pual").read_bytes()
    same = True
    for seed in range(5):
        order = random.Random(seed).sample(parts, len(parts))
        model = folder / f"cluster-{seed}.pual"
        run(pual, "merge", *order, "--no-compress", "-o", model)
        equal = model.read_bytes() == expected
        same &= equal
        numbers = " ".join(part.stem.removeprefix("shard-") for part in order)
        print(f"merged in the order {numbers}: {len(expected)} bytes, {'equal to' if equal else 'DIFFERENT from'} one machine's")
    if not again:
        print("no task was lost, so this shows nothing about lost workers; try more --rows")
    sys.exit(0 if same and again else 1)


if __name__ == "__main__":
    main()
