// Package service has the commands for those who run a service: serve, worker, migrate,
// backup, restore, users, keys and jobs. All except jobs open the data folder or the database
// themselves, instead of sending requests to a service.
package service
