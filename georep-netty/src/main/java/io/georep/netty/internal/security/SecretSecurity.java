package io.georep.netty.internal.security;

import io.georep.netty.internal.wire.SecretPreamble;
import io.netty.channel.ChannelPipeline;
import java.security.SecureRandom;
import java.util.List;

/** Accepts nodes that prove a secret that counts. */
public final class SecretSecurity implements ChannelSecurity {
    private final List<LinkSecret> secrets;
    private final SecureRandom random = new SecureRandom();

    /**
     * Derives what links need.
     *
     * @param secrets those that count; this node proves that it knows the first
     */
    public SecretSecurity(List<byte[]> secrets) {
        RecordWarmUp.once();
        this.secrets = secrets.stream().map(LinkSecret::new).toList();
    }

    @Override
    public void protect(ChannelPipeline pipeline, Side side) {
        byte[] nonce = new byte[SecretPreamble.NONCE_BYTES];
        random.nextBytes(nonce);
        pipeline.addLast(new SecretHandshake(side, secrets, nonce));
    }
}
