module example.modular {
    requires io.georep.netty;
    requires org.slf4j;
    requires jdk.net;
    requires io.netty.transport;
    requires io.netty.handler;
    requires io.netty.codec;
    requires io.netty.transport.classes.epoll;
}
