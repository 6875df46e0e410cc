// Closed-loop clients of etcd and of EPaxos' published server: each waits for one operation before it makes the next.
// Prints what was done in the measured window and the processor time of all processes that take part, this one included.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand"
	"net"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

var (
	product  = flag.String("product", "etcd", "etcd or epaxos")
	servers  = flag.String("servers", "", "HOST:PORT,HOST:PORT: clients are dealt to them in turn")
	clients  = flag.Int("clients", 300, "clients of this process, dealt to the servers")
	conns    = flag.Int("connections", 1, "connections to each server of etcd")
	reads    = flag.Int("reads", 50, "reads of a hundred operations")
	keys     = flag.Int("keys", 10000, "keys")
	size     = flag.Int("bytes", 100, "size of a value of etcd; EPaxos' values are numbers")
	workload = flag.String("workload", "UNIFORM", "LOCALITY, UNIFORM or SKEWED")
	site     = flag.Int("site", 0, "number of the site of these clients, for LOCALITY")
	sites    = flag.Int("sites", 1, "number of sites, for LOCALITY")
	warmUp   = flag.Int("warm-up", 5, "seconds before the measured window")
	seconds  = flag.Int("seconds", 10, "seconds measured")
	pids     = flag.String("pids", "", "PID,PID: processes of the servers, whose processor time counts as well")
	lead     = flag.Bool("lead", false, "make the first of the servers etcd's leader")
	label    = flag.String("label", "", "begins the line that is printed")
)

// service is what one client asks.
type service interface {
	put(key int) error
	get(key int) error
}

type etcd struct {
	client *clientv3.Client
	value  string
}

func (e etcd) put(key int) error {
	_, err := e.client.Put(context.Background(), fmt.Sprintf("key %d", key), e.value)
	return err
}

func (e etcd) get(key int) error {
	_, err := e.client.Get(context.Background(), fmt.Sprintf("key %d", key))
	return err
}

// epaxos speaks the protocol of efficient/epaxos (src/genericsmrproto) over a connection of its own.
type epaxos struct {
	in  *bufio.Reader
	out net.Conn
}

func (e epaxos) ask(operation byte, key int) error {
	var ask [1 + 4 + 17 + 8]byte // PROPOSE is 0, and so are the command's number and the time stamp
	ask[5] = operation
	binary.LittleEndian.PutUint64(ask[6:], uint64(key))
	if _, err := e.out.Write(ask[:]); err != nil {
		return err
	}
	var answer [1 + 4 + 8 + 8]byte
	if _, err := io.ReadFull(e.in, answer[:]); err != nil {
		return err
	}
	if answer[0] == 0 {
		return fmt.Errorf("refused")
	}
	return nil
}

func (e epaxos) put(key int) error { return e.ask(1, key) }
func (e epaxos) get(key int) error { return e.ask(2, key) }

func connect() []service {
	addresses := strings.Split(*servers, ",")
	var shared [][]*clientv3.Client
	if *product == "etcd" {
		for _, address := range addresses {
			var own []*clientv3.Client
			for i := 0; i < *conns; i++ {
				client, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, DialTimeout: 10 * time.Second})
				if err != nil {
					log.Fatal(err)
				}
				own = append(own, client)
			}
			shared = append(shared, own)
		}
		if *lead {
			makeLeader(shared[0][0], addresses[0])
		}
	}
	value := strings.Repeat("x", *size)
	var all []service
	for i := 0; i < *clients; i++ {
		server := i % len(addresses)
		if *product == "etcd" {
			all = append(all, etcd{shared[server][i/len(addresses)%*conns], value})
			continue
		}
		connection, err := net.Dial("tcp", addresses[server])
		if err != nil {
			log.Fatal(err)
		}
		all = append(all, epaxos{bufio.NewReader(connection), connection})
	}
	return all
}

func makeLeader(client *clientv3.Client, address string) {
	first, err := client.Status(context.Background(), address)
	if err != nil {
		log.Fatal(err)
	}
	if first.Leader == first.Header.MemberId {
		return
	}
	members, err := client.MemberList(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, member := range members.Members {
		if member.ID == first.Leader {
			leader, err := clientv3.New(clientv3.Config{Endpoints: member.ClientURLs, DialTimeout: 10 * time.Second})
			if err != nil {
				log.Fatal(err)
			}
			defer leader.Close()
			if _, err = leader.MoveLeader(context.Background(), first.Header.MemberId); err != nil {
				log.Fatal(err)
			}
		}
	}
}

func draw(random *rand.Rand) int {
	switch *workload {
	case "LOCALITY":
		return random.Intn(*keys / *sites)**sites + *site
	case "SKEWED":
		return int(math.Pow(float64(*keys), random.Float64())) - 1
	default:
		return random.Intn(*keys)
	}
}

type sample struct {
	nanos int64
	read  bool
}

func main() {
	flag.Parse()
	if err := os.Setenv("ETCD_CLIENT_DEBUG", "fatal"); err != nil { // failures are counted, not told one by one
		log.Fatal(err)
	}
	all := connect()
	var from, until atomic.Int64
	from.Store(math.MaxInt64)
	until.Store(math.MaxInt64)
	samples := make([][]sample, len(all))
	var failed atomic.Int64
	var ended sync.WaitGroup
	begun := time.Now()
	for number, each := range all {
		ended.Add(1)
		go func(number int, each service) {
			defer ended.Done()
			random := rand.New(rand.NewSource(int64(number**sites + *site)))
			for {
				key, read := draw(random), random.Intn(100) < *reads
				start := time.Since(begun).Nanoseconds()
				if start > until.Load() {
					return
				}
				var err error
				if read {
					err = each.get(key)
				} else {
					err = each.put(key)
				}
				end := time.Since(begun).Nanoseconds()
				if end >= from.Load() && end <= until.Load() {
					if err != nil {
						failed.Add(1)
					} else {
						samples[number] = append(samples[number], sample{end - start, read})
					}
				}
			}
		}(number, each)
	}
	time.Sleep(time.Duration(*warmUp) * time.Second)
	cpu := cpuSeconds()
	from.Store(time.Since(begun).Nanoseconds())
	time.Sleep(time.Duration(*seconds) * time.Second)
	until.Store(time.Since(begun).Nanoseconds())
	cpu = cpuSeconds() - cpu
	took := float64(until.Load()-from.Load()) / 1e9
	ended.Wait()

	var writes, gets []float64
	for _, own := range samples {
		for _, s := range own {
			if s.read {
				gets = append(gets, float64(s.nanos)/1e6)
			} else {
				writes = append(writes, float64(s.nanos)/1e6)
			}
		}
	}
	done := float64(len(writes) + len(gets))
	fmt.Printf("%s operations/s %.0f, per CPU-s %.0f, cores %.2f, writes p50 %.1f p95 %.1f, reads p50 %.1f p95 %.1f ms, failed %d\n",
		*label, done/took, done/cpu, cpu/took,
		percentile(writes, 50), percentile(writes, 95), percentile(gets, 50), percentile(gets, 95), failed.Load())
}

func percentile(millis []float64, percent int) float64 {
	if len(millis) == 0 {
		return 0
	}
	sort.Float64s(millis)
	return millis[len(millis)*percent/100]
}

// cpuSeconds is the processor time of this process and of the servers.
func cpuSeconds() float64 {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		log.Fatal(err)
	}
	sum := float64(own.Utime.Nano()+own.Stime.Nano()) / 1e9
	for _, pid := range strings.FieldsFunc(*pids, func(r rune) bool { return r == ',' }) {
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			log.Fatal(err)
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
		for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
			ticks, _ := strconv.Atoi(field)
			sum += float64(ticks) / 100
		}
	}
	return sum
}
