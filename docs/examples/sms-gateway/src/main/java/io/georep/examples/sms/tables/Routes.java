package io.georep.examples.sms.tables;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.operator.Operators;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** Says which operator a message goes to: the one of the longest prefix of its number that has a route. Thread-safe. */
@Component
public class Routes {
    /** The route of all numbers that have no other. */
    public static final String ALL = "*";

    private final SharedTable<RouteRow> table;

    @Autowired
    Routes(SharedTables tables) {
        this(tables.routes());
    }

    Routes(SharedTable<RouteRow> table) {
        this.table = table;
    }

    /**
     * Returns the name of the operator.
     *
     * @throws io.georep.funnel.MapUnavailableException if the gateway does not know its routes now
     */
    public String operator(Address to) {
        String number = to.digits();
        for (int length = to.isName() ? 0 : number.length(); length > 0; length--) {
            RouteRow row = table.get(number.substring(0, length));
            if (row != null && !row.operator().isEmpty()) {
                return row.operator();
            }
        }
        RouteRow all = table.get(ALL);
        return all == null || all.operator().isEmpty() ? Operators.FIRST : all.operator();
    }
}
