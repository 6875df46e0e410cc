package io.georep.runtime;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Durability;
import io.georep.model.StoreException;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.ProtocolId;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Notes which protocol uses which number, because a protocol must not read or delete what another one has stored
 * under its number.
 *
 * <pre>
 * 00 channel      text name of the protocol
 * </pre>
 */
final class StoredNames {
    private static final byte[] FIRST = {0};
    private static final byte[] END = {1};

    private StoredNames() {}

    /**
     * Notes the names of protocols that this store has not seen before.
     *
     * @throws StoreException when it has seen another one under the number of one of them
     */
    static void check(EntryStore store, List<? extends HostedProtocol<?>> protocols, StoreBatch batch) {
        Map<Integer, String> known = new TreeMap<>();
        store.scanNow(FIRST, END, (key, value) -> {
            known.put(key[1] & 0xff, new BinReader(value).text());
            return true;
        });
        batch.within(0, Durability.FSYNC);
        for (HostedProtocol<?> protocol : protocols) {
            ProtocolId id = protocol.id();
            String before = id.version() == 0 ? id.name() : known.get(id.channel());
            if (before == null) {
                byte[] key = {0, (byte) id.channel()};
                batch.put(key, new BinWriter().text(id.name()).toSlice());
            } else if (!before.equals(id.name())) {
                throw new StoreException(
                        StoreException.Kind.FOREIGN,
                        "the store holds what protocol '" + before + "' wrote under number " + id.channel()
                                + ", which now is the number of protocol '" + id.name() + "': give '" + id.name()
                                + "' another number on all nodes, or start with an empty data directory");
            }
        }
    }
}
