package io.georep.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A handler that has written while it read gets one byte more when the connection ends, before it hears of the end. */
class LastRecordTest {
    private final List<String> heard = new ArrayList<>();
    private boolean answers = true;

    private final EmbeddedChannel channel = new EmbeddedChannel(new LastRecord(), new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            heard.add(bytes.readableBytes() + " bytes");
            bytes.release();
            if (answers) {
                context.writeAndFlush(Unpooled.wrappedBuffer(new byte[24]));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            heard.add("end");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            heard.add(cause.getMessage());
        }
    });

    private void read() {
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[100]));
    }

    private void end() {
        channel.finishAndReleaseAll();
    }

    @Test
    void itIsAskedAgainAtTheEnd() {
        read();

        end();

        assertThat(heard).containsExactly("100 bytes", "1 bytes", "end");
    }

    @Test
    void itIsAskedAgainBeforeAResetIsTold() {
        read();

        channel.pipeline().fireExceptionCaught(new IOException("reset"));
        end();

        assertThat(heard).startsWith("100 bytes", "1 bytes", "reset");
    }

    @Test
    void itIsNotAskedIfItWroteNothingSinceTheLastBytesCame() {
        read();
        answers = false;
        read();
        channel.writeOutbound(Unpooled.wrappedBuffer(new byte[24]));

        end();

        assertThat(heard).containsExactly("100 bytes", "100 bytes", "end");
    }
}
