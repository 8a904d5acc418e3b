package testenv

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Malware is a text that the clamd of [ClamAV] reports as malware in any file, under the name
// MalwareSignature.
const (
	Malware          = "FORETELL-TEST-MALWARE"
	MalwareSignature = "Foretell.Test.UNOFFICIAL"
)

// ClamAV starts a clamd whose only signature is that of Malware. config has lines that are added
// to its configuration. ClamAV returns the path of its Unix socket. The daemon runs until the test
// ends. Without clamd, the test is skipped; see [SkipWithout].
func ClamAV(t *testing.T, config string) (socket string) {
	t.Helper()
	program, err := "", errors.New("no clamd found")
	for _, name := range []string{"clamd", "/usr/sbin/clamd"} {
		if program, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		SkipWithout(t, "clamav", err)
	}
	dir, err := os.MkdirTemp("", "clamd") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket = filepath.Join(dir, "socket")
	writeFile(t, filepath.Join(dir, "test.ndb"), "Foretell.Test:0:*:"+hex.EncodeToString([]byte(Malware))+"\n")
	configFile := filepath.Join(dir, "clamd.conf")
	writeFile(t, configFile, fmt.Sprintf("Foreground yes\nDatabaseDirectory %s\nTemporaryDirectory %s\nLocalSocket %s\n%s\n", dir, dir, socket, config))
	// AppArmor lets the installed program read only its own folders, so it is copied. Another
	// process copies it: if this process opened the copy for writing, processes of other tests
	// would inherit the open file, and a file that is open for writing cannot be run.
	copied := filepath.Join(dir, "clamd")
	if out, err := exec.CommandContext(t.Context(), "cp", program, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, stop := context.WithCancel(context.Background())
	clamd := exec.CommandContext(ctx, copied, "--config-file", configFile)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	clamd.Stdout, clamd.Stderr = log, log
	if err := clamd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = clamd.Wait() // it is killed
		_ = log.Close()
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			_ = conn.Close()
			return socket
		}
		select {
		case <-ended:
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("clamd has ended: %s", text)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
