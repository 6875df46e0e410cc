package io.georep.spring.boot;

import java.lang.annotation.Annotation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** A place into which something generic is injected, with its annotations. */
record InjectedPlace(DependencyDescriptor dependency) {
    /** Returns the wanted type with all its generics; null if the place does not say them. It may be a provider. */
    @Nullable
    ResolvableType type(Class<?> wanted) {
        ResolvableType type = dependency.getResolvableType();
        while (type.resolve() != null && type.resolve() != wanted && type.hasGenerics()) {
            type = type.getGeneric(0);
        }
        if (type.resolve() != wanted || type.hasUnresolvableGenerics()) {
            return null;
        }
        for (ResolvableType generic : type.getGenerics()) {
            if (generic.resolve() == null) {
                return null;
            }
        }
        return type.hasGenerics() ? type : null;
    }

    /** Returns the annotation at the place, or on the method whose parameter it is. */
    <A extends Annotation> @Nullable A annotation(Class<A> type) {
        A annotation = dependency.getAnnotation(type);
        return annotation == null && dependency.getMethodParameter() != null
                ? AnnotatedElementUtils.findMergedAnnotation(
                        dependency.getMethodParameter().getExecutable(), type)
                : annotation;
    }

    @Override
    public String toString() {
        return dependency + " of " + dependency.getMember().getDeclaringClass().getName();
    }
}
