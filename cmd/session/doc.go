// Package session has the commands that sign in to a service and out of it, and list and end
// sessions: login, logout and sessions.
package session
