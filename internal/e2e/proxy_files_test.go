//go:build unix

package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"foretell/internal/testenv"
)

// TestDeployProxies runs nginx and HAProxy with the files in docs/deploy, in front of two services.
// While the database of the services is unavailable, clients must get the 503 of a service. If no
// service listens, the 503 of the proxy must have Retry-After, too.
func TestDeployProxies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, file string }{{"nginx", "nginx.conf"}, {"haproxy", "haproxy.cfg"}} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			program := findProxy(t, c.program)
			services := []*httptest.Server{outageService(), outageService()}
			t.Cleanup(services[0].Close)
			t.Cleanup(services[1].Close)
			dir := t.TempDir()
			address := freeAddress(t)
			text, err := os.ReadFile(filepath.Join("..", "..", "docs", "deploy", c.file))
			if err != nil {
				t.Fatal(err)
			}
			writeCertificate(t, dir)
			config := strings.NewReplacer(
				"10.0.0.11:8080", services[0].Listener.Addr().String(), "10.0.0.12:8080", services[1].Listener.Addr().String(),
				"listen 443 ", "listen "+address+" ", "bind :443 ", "bind "+address+" ",
				"/etc/nginx/", dir+"/", "/etc/haproxy/", dir+"/",
			).Replace(string(text))
			file := filepath.Join(dir, c.file)
			if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			runProxy(t, program, dir, file)
			url := "https://" + address
			waitUntil(t, url, func() bool { _, _, err := fetchInsecure(url + "/"); return err == nil })

			for range 20 { // more than it takes until a proxy that polls /readyz has removed the services
				if status, body, _ := fetchInsecure(url + "/api/v1/datasets"); status != "503 Retry-After: 5" || !strings.Contains(body, "not-ready for=127.0.0.1 proto=https host="+address) {
					t.Fatalf("during an outage of the database, the response is %q, %q", status, body)
				}
				time.Sleep(150 * time.Millisecond)
			}
			services[0].Close()
			services[1].Close()
			if status, body, _ := fetchInsecure(url + "/api/v1/datasets"); status != "503 Retry-After: 5" || strings.Contains(body, "not-ready") {
				t.Errorf("without a service, the response is %q, %q", status, body)
			}
		})
	}
}

// findProxy returns the path of a program, or skips the test if it is not installed.
func findProxy(t *testing.T, name string) string {
	t.Helper()
	found, err := exec.LookPath(name)
	if err != nil {
		found, err = exec.LookPath("/usr/sbin/" + name) // not in the PATH of every user
	}
	if err != nil {
		testenv.SkipWithout(t, name, err)
	}
	return found
}

// outageService starts a service whose database is unavailable. The responses have the headers of
// the proxy.
func outageService() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
		h := r.Header
		fmt.Fprintf(w, "not-ready for=%s proto=%s host=%s", strings.Join(h["X-Forwarded-For"], "+"), h.Get("X-Forwarded-Proto"), h.Get("X-Forwarded-Host"))
	}))
}

// writeCertificate writes a self-signed certificate to the files that the proxies read.
func writeCertificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "foretell.example.org"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), keyPEM...) // HAProxy reads both from one file
	for name, data := range map[string][]byte{"foretell.pem": both, "foretell.key": keyPEM} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// runProxy checks the configuration of a proxy with the proxy's own check, and runs the proxy until
// the end of the test.
func runProxy(t *testing.T, program, dir, file string) {
	t.Helper()
	check, run := []string{"-c", "-f", file}, []string{"-db", "-f", file}
	if strings.HasSuffix(program, "nginx") {
		user := ""
		if os.Getuid() == 0 {
			user = "user root;"
		}
		temps := ""
		for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			temps += fmt.Sprintf("%s_temp_path %s/%s;", name, dir, name)
		}
		outer := filepath.Join(dir, "outer.conf")
		text := fmt.Sprintf("daemon off; %s pid %s/pid; error_log stderr; events {} http { access_log off; %s include %s; }", user, dir, temps, file)
		if err := os.WriteFile(outer, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run = []string{"-e", "stderr", "-c", outer}
		check = append([]string{"-t"}, run...)
	}
	if out, err := exec.Command(program, check...).CombinedOutput(); err != nil || strings.Contains(string(out), "[WARNING]") {
		t.Fatalf("%s %v: %v\n%s", program, check, err, out)
	}
	command := exec.Command(program, run...)
	command.Stdout, command.Stderr = t.Output(), t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait() // the exit status is that of a stopped process
	})
}

// fetchInsecure returns the status and the Retry-After of a response, and its body. It does not
// verify the certificate.
func fetchInsecure(url string) (status, body string, err error) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}, Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d Retry-After: %s", resp.StatusCode, resp.Header.Get("Retry-After")), string(text), err
}
