// Package service has the commands for those who run a service: serve, worker, migrate and
// users. They open the data folder or the database themselves.
package service
