package prediction

import (
	"sync"

	"foretell/internal/learn/model"
)

// modelCacheSize is the maximum number of models kept in memory.
const modelCacheSize = 4

// modelCache holds the most recently used models, beginning with the model that was used last.
// Models never change, so a cached model is never outdated.
type modelCache struct {
	mu      sync.Mutex
	entries []cachedModel
}

type cachedModel struct {
	key   string
	model *model.Model
}

func newModelCache() *modelCache { return &modelCache{} }

func (c *modelCache) get(key string) *model.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.key == key {
			copy(c.entries[1:], c.entries[:i])
			c.entries[0] = e
			return e.model
		}
	}
	return nil
}

func (c *modelCache) put(key string, m *model.Model) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := []cachedModel{{key, m}}
	for _, e := range c.entries {
		if e.key != key && len(entries) < modelCacheSize { // two jobs may have loaded it concurrently
			entries = append(entries, e)
		}
	}
	c.entries = entries
}
