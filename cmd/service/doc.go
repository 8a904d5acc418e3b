// Package service has the commands for those who run a service: serve, worker, migrate,
// backup, restore, users and jobs. All except jobs open the data folder or the database
// without a service.
package service
