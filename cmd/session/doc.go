// Package session has the commands that sign in to a service and out of it: login, logout and
// sessions.
package session
