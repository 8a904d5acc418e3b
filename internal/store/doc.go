// Package store keeps the service's rows: accounts, tokens, datasets, training
// jobs, models, predictions and the queue of work, in SQLite.
//
// Every noun has the same verbs on [Tx]: Insert, Get, List, Update or Finish, Delete.
// What belongs together is written in one [Store.Write], which commits all of
// it or nothing. A change of state names the state it starts from, so that of
// two that race one wins and the other gets [ErrState].
//
//	write   one connection, transactions that lock at once (BEGIN IMMEDIATE):
//	        writers queue in Go or wait in SQLite, and never fail as busy
//	read    a few connections, each transaction a snapshot that blocks nobody
//
// Several processes may share the folder. Each holds a lock file while it
// lives, which is how the others know at once that the leases of a killed
// process are free ([Store.Alive]).
//
// The SQL is the subset that SQLite and PostgreSQL share: times are BIGINT
// microseconds, JSON is TEXT, booleans are INTEGER.
package store
