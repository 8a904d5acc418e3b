package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"foretell/internal/exit"
	"foretell/internal/filelock"
	"foretell/internal/symlink"
	"foretell/internal/term"
)

// WriteOrRemoveValue sets a value in config.yaml. keys are the path of the value from the top
// level. If value is "", the last key is removed. The rest of the file, including comments, is
// unchanged.
func WriteOrRemoveValue(env Getenv, value string, keys ...string) error {
	path, err := FilePath(env)
	if err != nil {
		return err
	}
	return WithFileLock(path, func() error {
		content, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		content, err = editYAML(content, value, keys)
		if err != nil {
			return exit.Errorf(exit.Usage, "cannot change %s: %w", path, err).WithHint("fix the file, or move it away; without the file, you are not logged in to any service")
		}
		return WritePrivateFile(path, content)
	})
}

// fileLockWait is how long WithFileLock waits for another process, which needs milliseconds for a
// change.
const fileLockWait = 10 * time.Second

// WithFileLock calls fn while it holds a lock, so that processes that change the file at path do
// not lose each other's changes. The lock is a hidden file in the same folder. WithFileLock creates
// the folder if it is missing. On file systems without locks, WithFileLock only calls fn.
func WithFileLock(path string, fn func() error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), fileLockWait)
	defer stop()
	lockPath := filepath.Join(dir, "."+filepath.Base(path)+".lock")
	lock, err := filelock.Wait(ctx, lockPath)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return exit.Errorf(exit.Conflict, "another process has been changing the file %s for %s", path, fileLockWait).
			WithHint("end the process that has opened the lock file %s, and run the command again", term.ShellQuote(lockPath))
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK): // ENOLCK: NFS without a lock service
		return fn()
	case err != nil:
		return err
	}
	return errors.Join(fn(), lock.Close())
}

// editYAML returns a YAML document in which a scalar has been changed to value. keys are the path
// of the scalar from the top level. If value is "", the last key is removed.
func editYAML(content []byte, value string, keys []string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(content, &doc); err != nil {
		return nil, err
	}
	if doc.Kind == 0 {
		doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	node, above := doc.Content[0], doc.Content[0]
	for i, key := range keys {
		if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
			*node = yaml.Node{Kind: yaml.MappingNode}
		}
		if node.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("line %d is not a mapping", node.Line)
		}
		last := i == len(keys)-1
		if last && value == "" {
			removeKey(node, key)
			if i > 2 && len(node.Content) == 0 { // no path of another operation is left, so the setting paths is removed, too
				removeKey(above, keys[i-1])
			}
			break
		}
		node, above = mappingValueOrAdd(node, key), node
		if last {
			node.SetString(value)
		}
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// mappingValueOrAdd returns the value of key in a mapping. If none exists, it adds an empty
// mapping as the value. Like viper, it ignores the case of keys.
func mappingValueOrAdd(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if strings.EqualFold(mapping.Content[i].Value, key) {
			return mapping.Content[i+1]
		}
	}
	name, value := &yaml.Node{}, &yaml.Node{Kind: yaml.MappingNode}
	name.SetString(key)
	mapping.Content = append(mapping.Content, name, value)
	return value
}

// removeKey removes key and its value from a mapping. Like viper, it ignores the case of keys.
func removeKey(mapping *yaml.Node, key string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if strings.EqualFold(mapping.Content[i].Value, key) {
			mapping.Content = append(mapping.Content[:i], mapping.Content[i+2:]...)
			return
		}
	}
}

// WritePrivateFile atomically writes content to the file at path, which only its owner can then
// read. If path is a symbolic link, its target is replaced, and the link is kept.
func WritePrivateFile(path string, content []byte) error {
	path = symlink.Resolve(path)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // CreateTemp sets the mode 0600
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	err = errors.Join(err, part.Sync(), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}
