#!/bin/sh
# Starts a service for a team on this machine, to try it out: PostgreSQL, an S3 server,
# one foretell serve and two workers. Ctrl-C stops all of them. The data stays in FOLDER,
# and the next start continues with it.
#
# usage: team.sh FOLDER
#
# It needs the packages postgresql and versitygw, and foretell in PATH or in FORETELL.
# PORT, POSTGRES_PORT and S3_PORT are the ports on 127.0.0.1.
set -eu
[ $# = 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1"
umask 077 # other users of this machine must not read the tables and models
folder=$(cd "$1" && pwd)
foretell=${FORETELL:-foretell}
port=${PORT:-8080}
postgres_port=${POSTGRES_PORT:-15432}
s3_port=${S3_PORT:-17070}
versitygw=$(PATH="$PATH:$(go env GOPATH 2>/dev/null || echo "$HOME/go")/bin" command -v versitygw) || { echo "team.sh: versitygw is not installed" >&2; exit 1; }
command -v "$foretell" >/dev/null || { echo "team.sh: $foretell is not in PATH" >&2; exit 1; }
programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1) # Debian and Ubuntu do not have them in PATH
PATH="${programs:+$programs:}$PATH"
command -v initdb >/dev/null || { echo "team.sh: PostgreSQL is not installed" >&2; exit 1; }

# PostgreSQL refuses to run as root.
as_postgres=
if [ "$(id -u)" = 0 ]; then
  as_postgres="setpriv --reuid=postgres --regid=postgres --init-groups"
  chmod a+x "$folder" # so that the user postgres can enter the folder of the database
  $as_postgres test -x "$folder" || { echo "team.sh: the user postgres cannot enter $folder; name another folder, such as /srv/foretell-team" >&2; exit 1; }
fi

# Secrets are created at the first start.
if [ ! -e "$folder/credentials" ]; then
  printf 'AWS_ACCESS_KEY_ID=foretell\nAWS_SECRET_ACCESS_KEY=%s\nPGPASSWORD=%s\n' \
    "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" >"$folder/credentials"
fi
set -a
. "$folder/credentials"
set +a

processes=
stop() {
  trap '' INT TERM
  trap - EXIT
  rm -f "$folder/password" # initdb may have failed
  for process in $processes; do # the last started first
    kill "$process" 2>/dev/null && wait "$process" || true
  done
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start() { # start LOG COMMAND… runs a program in a session of its own, so that Ctrl-C reaches only this script
  log=$folder/$1.log
  shift
  setsid "$@" >>"$log" 2>&1 &
  processes="$! $processes"
}

if [ ! -e "$folder/postgres/PG_VERSION" ]; then
  mkdir -p "$folder/postgres"
  printf '%s\n' "$PGPASSWORD" >"$folder/password"
  [ -z "$as_postgres" ] || chown postgres "$folder/postgres" "$folder/password"
  $as_postgres initdb --pgdata "$folder/postgres" --username foretell --pwfile "$folder/password" \
    --auth scram-sha-256 --encoding UTF8 --locale C.UTF-8 >"$folder/initdb.log"
  rm "$folder/password"
fi
start postgres $as_postgres postgres -D "$folder/postgres" -p "$postgres_port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200
mkdir -p "$folder/objects/foretell" "$folder/metadata" # the folder is the bucket
chmod 700 "$folder/objects" "$folder/metadata" # also those of an earlier version of this script
ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY \
  start s3 "$versitygw" --quiet --port "127.0.0.1:$s3_port" posix --sidecar "$folder/metadata" "$folder/objects"
tries=0
until pg_isready --quiet --host 127.0.0.1 --port "$postgres_port"; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { echo "team.sh: PostgreSQL does not start, see $folder/postgres.log" >&2; exit 1; }
  sleep 0.1
done

export FORETELL_DATABASE="postgres://foretell@127.0.0.1:$postgres_port/postgres?sslmode=disable"
export FORETELL_STORAGE="s3://foretell/team?endpoint=http://127.0.0.1:$s3_port"
tries=0
until "$foretell" migrate --data-dir "$folder/service" >>"$folder/migrate.log" 2>&1; do
  tries=$((tries + 1))
  [ $tries -lt 20 ] || { echo "team.sh: foretell migrate fails, see $folder/migrate.log" >&2; exit 1; }
  sleep 0.5
done
# By default each worker takes almost all of the memory, so each of the two is limited to 40 % of it.
memory=$(awk '/^MemTotal:/ { printf "%dMB", $2 * 0.4 / 1000 }' /proc/meminfo 2>/dev/null) || memory=
start worker1 "$foretell" worker --data-dir "$folder/worker1" --memory "$memory"
start worker2 "$foretell" worker --data-dir "$folder/worker2" --memory "$memory"
echo "The logs are in $folder. Ctrl-C stops everything."
setsid "$foretell" serve --no-work --listen "127.0.0.1:$port" --data-dir "$folder/service" --log-level warn &
processes="$! $processes"
wait "$!"
