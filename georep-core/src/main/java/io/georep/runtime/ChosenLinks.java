package io.georep.runtime;

import io.georep.codec.BinWriter;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.LinkingProtocol;
import io.georep.protocol.LinkingTurn;
import io.georep.spi.Transport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The links that hosted protocols have chosen themselves, beside those of the membership. Each protocol has a set of
 * its own, of bounded size, from which the least recently used link is closed first. So no protocol takes a link from
 * another one or from the membership.
 */
final class ChosenLinks {
    private final NodeLoop loop;
    private final Transport transport;

    private record Link(LinkSet owner, String address) {}

    /** The links of all protocols, by number. */
    private final Map<Long, Link> links = new HashMap<>();

    private long lastLink;

    ChosenLinks(NodeLoop loop, Transport transport) {
        this.loop = loop;
        this.transport = transport;
    }

    /** Returns the turn of a protocol, with links if it wants to choose some. */
    ProtocolTurn turnOf(HostedProtocol<?> protocol) {
        return protocol instanceof LinkingProtocol<?> linking ? new LinkSet(linking) : new ProtocolTurn(loop, protocol);
    }

    /** Takes what happened to a link; ignored if the link is closed. */
    void take(Input.OfStrangers input) {
        if (input instanceof Input.LinkOpened opened) {
            Link link = links.get(opened.link());
            if (link != null) {
                link.owner.opened(link.address, opened.process());
            }
        } else if (input instanceof Input.LinkWritable writable) {
            Link link = links.get(writable.link());
            if (link != null) {
                link.owner.room(link.address, writable.writable());
            }
        } else if (input instanceof Input.LinkEnded ended) {
            Link link = links.remove(ended.link());
            if (link != null) {
                link.owner.ended(link.address, ended.reason());
            }
        }
    }

    /** The links of one protocol. */
    private final class LinkSet extends ProtocolTurn implements LinkingTurn {
        private final LinkingProtocol<?> protocol;

        /** Numbers by address, least recently used first. */
        private final LinkedHashMap<String, Long> own = new LinkedHashMap<>(16, 0.75f, true);

        /** Addresses of links that are up and have room. */
        private final Set<String> roomy = new HashSet<>();

        LinkSet(LinkingProtocol<?> protocol) {
            super(ChosenLinks.this.loop, protocol);
            if (protocol.linksMax() < 1) {
                throw new IllegalArgumentException("the protocol on channel " + protocol.channel() + " asks for "
                        + protocol.linksMax() + " links: a protocol that chooses links needs at least 1");
            }
            this.protocol = protocol;
        }

        @Override
        public void openLink(String address) {
            if (own.get(address) != null) {
                return;
            }
            if (!transport.opensLinks()) {
                down(address, "the transport of this node opens no links beyond the membership's");
                return;
            }
            long link = ++lastLink;
            own.put(address, link);
            links.put(link, new Link(this, address));
            loop.linkChanges().open(link, protocol.channel(), address);
            if (own.size() > protocol.linksMax()) {
                String eldest = own.keySet().iterator().next();
                closeLink(eldest);
                down(eldest, "made room for a link that is used more");
            }
        }

        @Override
        public void closeLink(String address) {
            Long link = own.remove(address);
            roomy.remove(address);
            if (link != null) {
                links.remove(link);
                loop.linkChanges().close(link);
            }
        }

        @Override
        public boolean writable(String address) {
            return roomy.contains(address);
        }

        private void room(String address, boolean hasRoom) {
            if (hasRoom) {
                roomy.add(address);
            } else {
                roomy.remove(address);
            }
        }

        @Override
        public void sendWhenDurable(String address, int type, Slice body) {
            checkLength(body);
            whenDurable(later -> send(address, type, body));
        }

        private static void checkLength(Slice body) {
            if (body.length() > LINK_MESSAGE_BYTES_MAX) {
                throw new IllegalArgumentException("a message of " + body.length() + " bytes, at most "
                        + LINK_MESSAGE_BYTES_MAX + " go over a link of a protocol's own choice: cut it up");
            }
        }

        @Override
        public void send(String address, int type, Slice body) {
            checkLength(body);
            Long link = own.get(address);
            if (link != null) {
                loop.linkChanges()
                        .send(
                                link,
                                new BinWriter(body.length() + 1)
                                        .u8(type)
                                        .raw(body)
                                        .toArray());
            }
        }

        @Override
        public long heardNanos() {
            return loop.heardNanos();
        }

        @Override
        public void goRound() {
            loop.linkChanges().goRound();
        }

        private void opened(String address, NodeIdentity process) {
            if (process.channels().sharedWith(loop.hosted()).version(protocol.channel()) > 0) {
                roomy.add(address);
                protocol.onLinkUp(address, process, this);
            } else {
                closeLink(address);
                down(
                        address,
                        "node '" + process.id() + "' does not host the protocol on channel " + protocol.channel());
            }
        }

        private void ended(String address, String reason) {
            own.remove(address);
            roomy.remove(address);
            protocol.onLinkDown(address, reason, this);
        }

        private void down(String address, String reason) {
            loop.announce(() -> protocol.onLinkDown(address, reason, this));
        }
    }
}
