package io.georep.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;

/** In a native image, annotated methods can be called and their payloads read and written as JSON. */
final class PayloadReflection implements ReflectiveProcessor {
    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
        if (element instanceof Method method) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
            for (Type type : method.getGenericParameterTypes()) {
                binding.registerReflectionHints(hints, type);
            }
        }
    }
}
