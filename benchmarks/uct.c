/* The search of mrmlib/mcts.py in C, as a measure of what the machine allows: one exploitation trial, same random
   numbers, same decisions. The model comes as compressed rows; rewards and stops once for each letter of the word. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define GOLDEN 0x9E3779B97F4A7C15u

typedef struct {
    int64_t actions, entries;
    const int64_t *starts;
    const int32_t *targets;
    const double *cumulative, *rewards;
    const uint8_t *stops;
} World;

typedef struct {
    int64_t trajectories, depth;
    double discount, exploration;
} Settings;

typedef struct { double mean; int32_t tries, first; } Edge;
typedef struct { int32_t state, sibling, visits; } Node;
typedef struct { Node *nodes; Edge *edges; double *wide, *narrow, *gains; int64_t *path; } Room;

static inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline int64_t below(int64_t n, uint64_t counter) { return ((mix(counter) >> 32) * (uint64_t)n) >> 32; }

static inline int64_t pick(const World *w, int64_t pair, uint64_t counter) {
    int64_t first = w->starts[pair], last = w->starts[pair + 1] - 1;
    if (first < last) {
        double chance = (double)(mix(counter) >> 11) * 0x1p-53;
        while (first < last) {
            int64_t middle = (first + last) >> 1;
            if (chance < w->cumulative[middle]) last = middle; else first = middle + 1;
        }
    }
    return first;
}

static inline int64_t choose_edge(const Room *r, int64_t node, int64_t actions) {
    double wide = r->wide[r->nodes[node].visits], best = -INFINITY;
    int64_t chosen = node * actions;
    for (int64_t e = node * actions; e < (node + 1) * actions; e++) {
        int32_t tries = r->edges[e].tries;
        if (tries == 0) return e;
        double bound = r->edges[e].mean + wide * r->narrow[tries];
        if (bound > best) { best = bound; chosen = e; }
    }
    return chosen;
}

static inline void add(Room *r, int64_t node, int64_t state, int32_t sibling, int64_t actions) {
    r->nodes[node] = (Node){(int32_t)state, sibling, 0};
    for (int64_t e = node * actions; e < (node + 1) * actions; e++) r->edges[e] = (Edge){0.0, 0, -1};
}

static int64_t plan(const World *w, const Settings *s, Room *r, int64_t root, uint64_t *stream) {
    const int64_t actions = w->actions, depth = s->depth;
    const double discount = s->discount;
    uint64_t counter = *stream;
    int64_t size = 1;
    add(r, 0, root, -1, actions);
    for (int64_t i = 0; i < s->trajectories; i++) {
        int64_t node = 0, steps = 0, on = 1;
        while (on) {
            int64_t e = choose_edge(r, node, actions);
            r->nodes[node].visits++;
            counter += GOLDEN;
            int64_t k = pick(w, r->nodes[node].state * actions + e - node * actions, counter);
            r->path[steps] = e;
            r->gains[steps++] = w->rewards[k];
            on = steps < depth && !w->stops[k];
            node = r->edges[e].first;
            while (node >= 0 && r->nodes[node].state != w->targets[k]) node = r->nodes[node].sibling;
            if (node < 0) {
                node = size++;
                add(r, node, w->targets[k], r->edges[e].first, actions);
                r->edges[e].first = (int32_t)node;
                break;
            }
        }
        r->nodes[node].visits++;
        double value = 0.0, weight = 1.0;
        int64_t state = r->nodes[node].state, length = steps;
        while (on) {
            counter += GOLDEN;
            int64_t pair = state * actions + below(actions, counter);
            counter += GOLDEN;
            int64_t k = pick(w, pair, counter);
            value += weight * w->rewards[k];
            weight *= discount;
            state = w->targets[k];
            on = ++length < depth && !w->stops[k];
        }
        while (steps--) {
            Edge *e = &r->edges[r->path[steps]];
            value = r->gains[steps] + discount * value;
            e->mean += (value - e->mean) / ++e->tries;
        }
    }
    *stream = counter;
    int64_t chosen = 0;
    double best = -INFINITY;
    for (int64_t a = 0; a < actions; a++)
        if (r->edges[a].tries && r->edges[a].mean > best) { best = r->edges[a].mean; chosen = a; }
    return chosen;
}

/* Lives the word again and again, each time from a random start; writes down the actions taken. */
void trial(const World *model, const Settings *s, int64_t letters, int64_t choices, const int64_t *epoch_starts,
           int64_t budget, uint64_t planning, uint64_t moving, int64_t *taken) {
    int64_t room = s->trajectories + 1, done = 0;
    Room r = {malloc(room * sizeof(Node)), malloc(room * model->actions * sizeof(Edge)), malloc(room * sizeof(double)),
              malloc(room * sizeof(double)), malloc(s->depth * sizeof(double)), malloc(s->depth * sizeof(int64_t))};
    for (int64_t n = 1; n < room; n++) {
        r.wide[n] = s->exploration * sqrt(log((double)n));
        r.narrow[n] = 1 / sqrt((double)n);
    }
    while (done < budget) {
        moving += GOLDEN;
        int64_t state = epoch_starts[below(choices, moving)];
        for (int64_t z = 0; z < letters; z++) {
            World w = *model;
            w.rewards += z * w.entries;
            w.stops += z * w.entries;
            for (int observed = 0; !observed && done < budget; done++) {
                taken[done] = plan(&w, s, &r, state, &planning);
                moving += GOLDEN;
                int64_t k = pick(&w, state * w.actions + taken[done], moving);
                state = w.targets[k];
                observed = w.stops[k];
            }
        }
    }
    free(r.nodes); free(r.edges); free(r.wide); free(r.narrow); free(r.gains); free(r.path);
}
