// Package session has the commands that log in to a service and out of it, and list and end
// sessions: login, logout and sessions.
package session
