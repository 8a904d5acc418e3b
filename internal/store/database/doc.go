// Package database opens a database, SQLite or PostgreSQL, and runs transactions in it. It knows no
// table; package schema has them, and package store their rows.
//
//	           SQLite                           PostgreSQL
//	write      one connection; a transaction    a few connections; transactions are
//	           takes the write lock when it     serializable and run again after a
//	           begins, so that writers wait     conflict
//	           and never get SQLITE_BUSY
//	read       a few connections; a transaction reads a snapshot and blocks no other
//	processes  lock a file while they run       renew a row while they run
//	migration  while a file is locked           under an advisory lock
//
// With both, transactions have the effect of running one after the other. Several processes may
// share a database; see package process. Placeholders are ?.
package database
