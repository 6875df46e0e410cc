package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.credit.NoCreditException;
import io.georep.funnel.MapUnavailableException;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.RejectedException.Reason;
import java.util.concurrent.CompletionException;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.Test;

final class RefusalTest {
    @Test
    void tellsClientsWhatToDoNext() {
        assertRefusal(rejected(Reason.QUEUE_FULL), SMPPConstant.STAT_ESME_RTHROTTLED, 429);
        assertRefusal(rejected(Reason.TOO_FEW_PEERS), SMPPConstant.STAT_ESME_RSYSERR, 503);
        assertRefusal(rejected(Reason.STORE_FULL), SMPPConstant.STAT_ESME_RSYSERR, 503);
        assertRefusal(rejected(Reason.STORE_STALLED), SMPPConstant.STAT_ESME_RSYSERR, 503);
        assertRefusal(rejected(Reason.LEAVING), SMPPConstant.STAT_ESME_RSYSERR, 503);
        assertRefusal(rejected(Reason.PAYLOAD_TOO_LARGE), SMPPConstant.STAT_ESME_RINVMSGLEN, 413);
        assertRefusal(new ClosedException("x"), SMPPConstant.STAT_ESME_RSYSERR, 503);
        assertRefusal(
                new MapUnavailableException(MapUnavailableException.Reason.NO_LEASE, "x"),
                SMPPConstant.STAT_ESME_RSYSERR,
                503);
        assertRefusal(new AccountClosedException("x"), SMPPConstant.STAT_ESME_RINVSYSID, 401);
        assertRefusal(new OrderedMapUnavailableException("x"), SMPPConstant.STAT_ESME_RSYSERR, 503);
        assertRefusal(new NoCreditException("x", 1), SMPPConstant.STAT_ESME_RSUBMITFAIL, 402);
        assertRefusal(new IndeterminateException("x"), SMPPConstant.STAT_ESME_RSYSERR, 504);
        assertRefusal(new IllegalStateException("x"), SMPPConstant.STAT_ESME_RSYSERR, 500);
    }

    @Test
    void looksBehindWhatStagesWrapAroundErrors() {
        assertRefusal(new CompletionException(rejected(Reason.QUEUE_FULL)), SMPPConstant.STAT_ESME_RTHROTTLED, 429);
    }

    private static RejectedException rejected(Reason reason) {
        return new RejectedException(reason, "x");
    }

    private static void assertRefusal(Throwable error, int smpp, int http) {
        Refusal refusal = Refusal.of(error);

        assertThat(refusal.smppStatus()).as(error.toString()).isEqualTo(smpp);
        assertThat(refusal.httpStatus()).as(error.toString()).isEqualTo(http);
    }
}
