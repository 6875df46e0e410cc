package io.georep.examples.sms.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.coyote.ActionCode;
import org.apache.coyote.ActionHook;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.tomcat.util.net.SocketEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.test.util.ReflectionTestUtils;

class BoundedProtocolTest {
    private final List<String> happened = new ArrayList<>();

    /** Tomcat reads what is left of a body on the thread of the request. Who reads it asynchronously has it read to its end. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noThreadReadsTheRestOfABodyThatNobodyReads(boolean async) throws Exception {
        BoundedProtocol protocol = new BoundedProtocol();
        protocol.setAdapter(new Tomcat());
        Request request = new Request();
        hook(request, (action, parameter) -> {
            if (action == ActionCode.ASYNC_IS_ASYNC) {
                ((AtomicBoolean) parameter).set(async);
            }
        });
        Response response = new Response();
        hook(response, (action, parameter) -> happened.add(action.name()));

        protocol.getAdapter().service(request, response);

        assertThat(happened)
                .isEqualTo(async ? List.of("answered") : List.of("answered", ActionCode.DISABLE_SWALLOW_INPUT.name()));
    }

    private static void hook(Object side, ActionHook hook) {
        ReflectionTestUtils.invokeMethod(side, "setHook", hook);
    }

    private final class Tomcat implements Adapter {
        @Override
        public void service(Request request, Response response) {
            happened.add("answered");
        }

        @Override
        public boolean prepare(Request request, Response response) {
            return true;
        }

        @Override
        public boolean asyncDispatch(Request request, Response response, SocketEvent status) {
            return true;
        }

        @Override
        public void log(Request request, Response response, long nanos) {}

        @Override
        public void checkRecycled(Request request, Response response) {}

        @Override
        public String getDomain() {
            return "test";
        }
    }
}
